/** Speaks the part of Slack's Web API that posts messages and takes files, and checks them against Slack's documented limits. */
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts';

export const SLACK_TOKEN = 'xoxb-test-token';
const CHANNELS = ['C024BE91L', '#reports'];

interface TextObject {
  readonly type: string;
  readonly text: string;
}

export interface SlackPosting {
  readonly channel: string;
  readonly text: string;
  readonly blocks?: readonly Block[];
  readonly [field: string]: unknown;
}

interface Block {
  readonly type: string;
  readonly text?: TextObject;
  readonly elements?: readonly TextObject[];
  readonly slack_file?: { readonly id: string };
  readonly alt_text?: string;
}

export interface SlackReceiver extends HttpReceiver {
  /** Base URL of the API. */
  readonly apiUrl: string;
  readonly posted: SlackPosting[];
  /** Files that are complete, with the first bytes of each. */
  readonly files: Map<string, string>;
  /** Whether calls stay without an answer. */
  hangs: boolean;
}

/** `next` may answer a call in place of Slack: a status, with headers and a body. */
export async function startSlackReceiver(
  next: (method: string) => { status: number; headers?: Record<string, string>; body?: unknown } | undefined = () =>
    undefined,
): Promise<SlackReceiver> {
  const posted: SlackPosting[] = [];
  const files = new Map<string, string>();
  const uploads = new Map<string, string>();
  const receiver = await startHttpReceiver(({ method, url, headers, body }, response) => {
    if (slack.hangs) return;
    const called = url?.split('/').at(-1) ?? '';
    const planned = next(called);
    if (planned !== undefined) {
      const text = typeof planned.body === 'string' ? planned.body : JSON.stringify(planned.body ?? {});
      response.writeHead(planned.status, planned.headers ?? {}).end(text);
      return;
    }
    const answer = (fields: object) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(fields));
    };
    if (method === 'POST' && url?.startsWith('/upload/')) {
      uploads.set(called, body.slice(0, 8));
      return void response.end('OK');
    }
    const isKnown = ['chat.postMessage', 'files.getUploadURLExternal', 'files.completeUploadExternal'].includes(called);
    if (method !== 'POST' || url !== `/api/${called}` || !isKnown)
      return answer({ ok: false, error: 'unknown_method' });
    if (headers.authorization !== `Bearer ${SLACK_TOKEN}`) return answer({ ok: false, error: 'invalid_auth' });
    if (called === 'files.getUploadURLExternal') {
      const { filename, length } = Object.fromEntries(new URLSearchParams(body));
      if (filename === undefined || !(Number(length) > 0)) return answer({ ok: false, error: 'invalid_arguments' });
      const id = `F${files.size + uploads.size + 1}`;
      return answer({ ok: true, upload_url: `${receiver.url}/upload/${id}`, file_id: id });
    }
    if (!/^application\/json; ?charset=utf-8$/.test(headers['content-type'] ?? '')) {
      return answer({ ok: false, error: 'invalid_form_data' });
    }
    if (called === 'files.completeUploadExternal') {
      const listed = (JSON.parse(body) as { files: { id: string }[] }).files;
      if (!listed.every(({ id }) => uploads.has(id))) return answer({ ok: false, error: 'file_not_found' });
      for (const { id } of listed) files.set(id, uploads.get(id) ?? '');
      return answer({ ok: true, files: listed });
    }
    const message = JSON.parse(body) as SlackPosting;
    if (!CHANNELS.includes(message.channel)) return answer({ ok: false, error: 'channel_not_found' });
    const error = errorOf(message, files);
    if (error !== undefined) return answer({ ok: false, error });
    posted.push(message);
    answer({ ok: true, channel: CHANNELS[0], ts: `1503435956.${String(posted.length).padStart(6, '0')}`, message });
  });
  const slack: SlackReceiver = Object.assign(receiver, { apiUrl: `${receiver.url}/api/`, posted, files, hangs: false });
  return slack;
}

function errorOf({ text, blocks = [] }: SlackPosting, files: ReadonlyMap<string, string>): string | undefined {
  if (text === '' && blocks.length === 0) return 'no_text';
  if (text.length > 40_000) return 'msg_too_long';
  if (JSON.stringify(blocks).length > 13_000) return 'msg_blocks_too_long';
  return blocks.length > 50 || !blocks.every((block) => isValidBlock(block, files)) ? 'invalid_blocks' : undefined;
}

function isValidBlock(
  { type, text, elements = [], slack_file: file, alt_text: alt }: Block,
  files: ReadonlyMap<string, string>,
): boolean {
  const fits = (object: TextObject | undefined, kind: string, longest: number) =>
    object?.type === kind && object.text.length > 0 && object.text.length <= longest;
  if (type === 'header') return fits(text, 'plain_text', 150);
  if (type === 'section') return fits(text, 'mrkdwn', 3_000);
  if (type === 'divider') return true;
  if (type === 'image') return files.has(file?.id ?? '') && alt !== undefined && alt.length > 0 && alt.length <= 2_000;
  return (
    type === 'context' &&
    elements.length > 0 &&
    elements.length <= 10 &&
    elements.every((one) => fits(one, 'mrkdwn', 3_000))
  );
}
