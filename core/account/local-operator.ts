/** The address of the account that `svc up` makes on its machine. It finds the account by it at each start. */
export const LOCAL_OPERATOR_EMAIL = 'operator@localhost';
