/** Posts a note, through the plugin that keeps calls away from private addresses. */
import { AtlasError } from 'atlas-query';
import type { Outbound } from 'atlas-query/plugins/outbound';
import type { Note } from './note.ts';

interface NoteCall {
  readonly url: string | undefined;
  readonly note: Note;
  /** The same when the action runs again after a crash, so that the receiver can tell that it has it already. */
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Resolves to what is stored as the result of the action. Rejects with a sentence that people read. */
export async function sendNote(outbound: Outbound, { url, note, key, signal }: NoteCall): Promise<object> {
  if (url === undefined) {
    throw new AtlasError('There is no address to send notes to.', {
      code: 'configuration_error',
      hint: 'Give the plugin template-action the option url in atlas.config.ts.',
    });
  }
  const { status } = await outbound.fetch({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(note),
    signal,
  });
  if (status < 200 || status > 299) {
    throw new AtlasError(`The receiver of notes answered with the status ${status}.`, { code: 'unavailable' });
  }
  return { status };
}
