/** Calls the model, streamed or not, and reads its answer. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { AnswerBuilder, type Delta, type ModelAnswer, type Reading } from '../model-kit/index.ts';
import { untilAborted } from './deadlines.ts';

/** Calls the model without streaming. Rejects with the model's error, or when the signal is aborted. */
export async function generate(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  reading: Reading,
): Promise<ModelAnswer> {
  const { content, finishReason, usage, providerMetadata } = await untilAborted(
    model.doGenerate(options),
    options.abortSignal,
  );
  const builder = new AnswerBuilder(reading, false);
  builder.end(finishOf(finishReason, content.length === 0), usage, providerMetadata);
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') builder.text(`${index}`, part.text, part.providerMetadata);
    else if (part.type === 'reasoning') builder.reasoning(`${index}`, part.text, part.providerMetadata);
    else if (part.type === 'tool-call' && part.providerExecuted !== true) builder.call(part);
    if (builder.isCut) break;
  }
  builder.finish();
  return builder.answer();
}

const STOPPED: LanguageModelV4FinishReason = { unified: 'stop', raw: undefined };

/** Packages report an error for a reply without anything; there is nothing of it that can have broken off. */
const finishOf = (reported: LanguageModelV4FinishReason, isEmpty: boolean) =>
  isEmpty && reported.raw === undefined ? STOPPED : reported;

/** Reads a text as an answer: one that a server has refused because of a call that it could not read. */
export function answerFromText(text: string, reading: Reading): ModelAnswer {
  const builder = new AnswerBuilder(reading, false);
  builder.end(STOPPED);
  builder.text('0', text);
  builder.finish();
  return builder.answer();
}

/** Calls the model with streaming: yields text and reasoning, returns the whole answer. Leaving it cancels the stream. */
export async function* stream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  reading: Reading,
): AsyncGenerator<Delta, ModelAnswer> {
  const { abortSignal } = options;
  const reader = (await streamOf(model, options)).getReader();
  const builder = new AnswerBuilder(reading, true);
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), abortSignal);
      if (!done) yield* addPart(builder, value);
      if (done || builder.isCut) {
        yield* builder.finish();
        return builder.answer();
      }
    }
  } finally {
    // Cancels only the reading; the caller aborts the call itself.
    reader.cancel().catch(() => {});
  }
}

async function streamOf(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const called = model.doStream(options);
  try {
    return (await untilAborted(called, options.abortSignal)).stream;
  } catch (error) {
    // A model that ignores the abort may still return a stream, which must not be left open.
    called.then(
      ({ stream }) => void stream.cancel().catch(() => {}),
      () => {},
    );
    throw error;
  }
}

const NOTHING: readonly Delta[] = [];

/** Adds one part of a stream; returns what clients see by now. Throws the error of an error part. */
function addPart(builder: AnswerBuilder, part: LanguageModelV4StreamPart): readonly Delta[] {
  switch (part.type) {
    case 'text-start':
    case 'text-end':
      return builder.text(part.id, '', part.providerMetadata);
    case 'text-delta':
      return builder.text(part.id, part.delta, part.providerMetadata);
    case 'reasoning-start':
    case 'reasoning-end':
      builder.reasoning(part.id, '', part.providerMetadata);
      return NOTHING;
    case 'reasoning-delta':
      return [{ type: 'reasoning', text: builder.reasoning(part.id, part.delta, part.providerMetadata) }];
    case 'tool-input-start':
      if (part.providerExecuted !== true) builder.announceCall(part.id, part.toolName);
      return NOTHING;
    case 'tool-input-delta':
      builder.argumentDelta(part.id, part.delta);
      return NOTHING;
    case 'tool-call':
      return part.providerExecuted === true ? NOTHING : builder.call(part);
    case 'finish':
      builder.end(finishOf(part.finishReason, builder.isEmpty), part.usage, part.providerMetadata);
      return NOTHING;
    case 'error':
      throw part.error;
    default:
      return NOTHING;
  }
}
