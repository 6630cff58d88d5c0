/** Uploads pictures to Slack, which shows them in a message by the ids of their files. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryError } from './errors.ts';
import type { SlackPicture } from './slack-report.ts';

export const SLACK_JSON = 'application/json; charset=utf-8';
const SLACK_FORM = 'application/x-www-form-urlencoded';
/** Slack looks at a file before a message may show it, for a second or so. */
const PREPARATION_MS = 2_000;

export interface SlackAnswer {
  readonly ok?: unknown;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

export interface SlackCalls {
  /** Rejects with a `DeliveryError` for every answer that is not `ok`. */
  call(method: string, type: string, body: string): Promise<SlackAnswer>;
  upload(url: string, bytes: Uint8Array): Promise<void>;
}

export interface SlackFile extends SlackPicture {
  readonly id: string;
}

/** Files belong to nobody's channel until a message shows them. */
export async function uploadedFiles(
  { call, upload }: SlackCalls,
  pictures: readonly SlackPicture[],
): Promise<readonly SlackFile[]> {
  const files: SlackFile[] = [];
  for (const picture of pictures) {
    const about = { filename: 'chart.png', length: String(picture.png.length), alt_txt: picture.text };
    const asked = await call('files.getUploadURLExternal', SLACK_FORM, new URLSearchParams(about).toString());
    const { upload_url: url, file_id: id } = asked;
    if (typeof url !== 'string' || typeof id !== 'string')
      throw new DeliveryError('Slack took no file.', { final: true });
    await upload(url, picture.png);
    files.push({ ...picture, id });
  }
  const listed = files.map(({ id, text }) => ({ id, title: text }));
  await call('files.completeUploadExternal', SLACK_JSON, JSON.stringify({ files: listed }));
  return files;
}

export function withFiles(blocks: readonly object[], files: readonly SlackFile[]): readonly object[] {
  return blocks.flatMap((block, at) => [
    ...files
      .filter(({ before }) => before === at)
      .map(({ id, text }) => ({ type: 'image', slack_file: { id }, alt_text: text })),
    block,
  ]);
}

/** Posts once more where Slack has not looked at the files yet. */
export async function postedWithFiles<T>(post: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await post();
  } catch (error) {
    if (!(error instanceof DeliveryError && error.message.includes('invalid_blocks'))) throw error;
    await sleep(PREPARATION_MS, undefined, { signal });
    return post();
  }
}
