/** The shell command that starts an agent. A token is letters, digits and "_" and needs no quotes (decision 1, tokens). */
export function agentCommand(token: string, baseUrl: string): string {
  return `SVC_TOKEN=${token} svc agent --base-url ${baseUrl} --config svc.yaml`;
}
