/** The address of the account that `svc up` makes on its machine, and by which each start finds the account. */
export const LOCAL_OPERATOR_EMAIL = 'operator@localhost';
