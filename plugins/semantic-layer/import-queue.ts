/** Runs the changes of each organization's layer one after the other, and bounds how many wait. */
import { AtlasError } from '../../kernel/index.ts';

/** Changes of one organization that wait for each other, and the characters of their files. One alone may have more. */
const MAX_CHANGES = 200;
const MAX_LENGTH = 4 * 1024 * 1024;

interface Queue {
  /** The last change; the next one waits for it. */
  last: Promise<unknown>;
  count: number;
  length: number;
}

export class ImportQueue {
  readonly #queues = new Map<string | null, Queue>();

  /** `length`: characters that wait with it. Rejects with `overloaded` when too much of the organization waits. */
  async run<Result>(orgId: string | null, length: number, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(orgId) ?? { last: Promise.resolve(), count: 0, length: 0 };
    const isFull = queue.count >= MAX_CHANGES || queue.length + length > MAX_LENGTH;
    if (queue.count > 0 && isFull) throw tooManyChanges();
    this.#queues.set(orgId, queue);
    queue.count += 1;
    queue.length += length;
    const result = queue.last.then(work);
    queue.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.count -= 1;
      queue.length -= length;
      if (queue.count === 0) this.#queues.delete(orgId);
    }
  }
}

function tooManyChanges(): AtlasError {
  return new AtlasError('Too many changes of the semantic layer wait for each other.', {
    code: 'overloaded',
    reason: 'E_IMPORTS_WAIT',
    hint: 'Try again in a moment.',
    retryAfterSeconds: 5,
  });
}
