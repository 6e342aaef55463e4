/** The types of the DOM win over Bun's, and they know no headers. */
const BunWebSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions,
) => Bun.WebSocket;

/** The connection of an agent to a hub, with nothing around it. */
export function dial(hubUrl: string, token: string): Bun.WebSocket {
  const url = `${hubUrl.replace(/^http/, 'ws')}/agents/connect`;
  const socket = new BunWebSocket(url, {
    headers: { Authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  socket.binaryType = 'arraybuffer';
  return socket;
}
