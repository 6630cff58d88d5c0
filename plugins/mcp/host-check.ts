/** Refuses requests that a browser sends for a foreign page, or to a foreign name that resolves to this machine. */
import { AtlasError, type RouteRequest } from '../../kernel/index.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The host name in lower case, without its port; `undefined` for what is no host. */
function hostNameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Throws 403 `forbidden` unless Host, and Origin where it is sent, name this server. */
export function checkHost({ host, origin }: RouteRequest['headers'], allowedHosts: readonly string[]): void {
  const allowed = new Set([...LOOPBACK, ...allowedHosts.map((name) => name.toLowerCase())]);
  for (const [header, url, value] of [
    ['Host', `http://${String(host)}`, host],
    ['Origin', String(origin), origin],
  ] as const) {
    if (header === 'Origin' && value === undefined) continue;
    const name = hostNameOf(url);
    if (name !== undefined && allowed.has(name)) continue;
    throw new AtlasError(`The ${header} header does not name this server.`, {
      code: 'forbidden',
      reason: 'E_MCP_HOST',
      hint: 'Connect to localhost, or have the operator add the host name to allowedHosts of mcp() (SVC_MCP_ALLOWED_HOSTS).',
    });
  }
}
