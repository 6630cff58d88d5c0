/** The least that a client does by hand: one request over a kept connection. */
import { type Agent, type IncomingMessage, request } from 'node:http';

/** Sends JSON; resolves with the response's head. */
export function send(agent: Agent, url: string, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, resolve);
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Reads; resolves with the response's head. */
export function get(agent: Agent, url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request(url, { agent }, resolve).once('error', reject).end());
}

/** Body of a successful response; `onText` is given all that has arrived, at every piece. */
export async function textOf(response: IncomingMessage, onText?: (text: string) => void): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    text += piece;
    onText?.(text);
  }
  if (response.statusCode !== 200) throw new Error(`Status ${response.statusCode}: ${text.slice(0, 500)}`);
  return text;
}
