/**
 * Waits for the first part of a streamed answer, so that a failure ahead of it is a failure of the call, which can be tried
 * again, and passes the rest on.
 */
import type {
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { errorOf } from './errors.ts';

type Part = LanguageModelV4StreamPart;

/** Adds to the metadata of an answer. */
export type Sign = <T extends { readonly providerMetadata?: SharedV4ProviderMetadata }>(answer: T) => T;

/** Parts that come before anything of the answer. */
const PREAMBLE = new Set<Part['type']>(['stream-start', 'response-metadata', 'raw']);
/** Parts that are held back at most. */
const MOST_HELD = 16;
/** Parts of a stream that wait for their reader before the provider has to. */
const QUEUED_PARTS = 64;

/**
 * Rejects with what fails before the answer begins. `onFailure` maps what fails later into what the reader gets, `sign` the
 * part that ends the answer.
 */
export async function startedStream(
  result: LanguageModelV4StreamResult,
  onFailure: (error: unknown) => unknown,
  sign: Sign,
): Promise<LanguageModelV4StreamResult> {
  const reader = result.stream.getReader();
  const held: Part[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.type === 'error') {
      reader.cancel().catch(() => {});
      throw errorOf(value.error);
    }
    held.push(value);
    if (!PREAMBLE.has(value.type) || held.length === MOST_HELD) break;
  }
  const signed = (part: Part) => (part.type === 'finish' ? sign(part) : part);
  const stream = new ReadableStream<Part>(
    {
      async pull(controller) {
        for (const part of held.splice(0)) controller.enqueue(signed(part));
        let next: Awaited<ReturnType<typeof reader.read>>;
        try {
          next = await reader.read();
        } catch (error) {
          next = { done: false, value: { type: 'error', error } };
        }
        if (next.done) controller.close();
        else if (next.value.type === 'error') {
          controller.enqueue({ type: 'error', error: onFailure(next.value.error) });
          controller.close();
          reader.cancel().catch(() => {});
        } else controller.enqueue(signed(next.value));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: QUEUED_PARTS },
  );
  return { ...result, stream };
}
