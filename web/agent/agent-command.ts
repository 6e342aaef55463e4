/** What starts an agent, to be pasted into a shell: a token is letters, digits and "_" (decision 1). */
export function agentCommand(token: string, baseUrl: string): string {
  return `SVC_TOKEN=${token} svc agent --base-url ${baseUrl} --config svc.yaml`;
}
