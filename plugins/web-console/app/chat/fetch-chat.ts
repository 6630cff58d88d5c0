/** Sends a question, and makes sure that its answer is a stream that goes on. */
import { send } from '../api/client.ts';
import { ApiError, failureOf } from '../api/failure.ts';
import { TEXTS } from '../texts.ts';

/** The server pings every 15 s: after a silence of three pings nobody is there any more, though nothing was closed. */
const MAX_SILENCE_MS = 45_000;

async function beforeSilence<T>(pending: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const lost = () => reject(new ApiError({ message: TEXTS.failure.network, status: 0 }));
    timer = setTimeout(lost, MAX_SILENCE_MS);
  });
  try {
    return await Promise.race([pending, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Fails where the other end stays silent for too long. */
function watched(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await beforeSilence(reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** `fetch` for the chat. Throws `ApiError` for what is neither a stream of events nor empty, such as a proxy's sign-in page. */
export async function fetchChat(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await send(String(input), init);
  if (!response.ok) throw await failureOf(response);
  if (response.status === 204) return response;
  const { body, headers, status } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    body?.cancel().catch(() => {});
    throw new ApiError({ message: TEXTS.failure.format, status });
  }
  return new Response(watched(body), { status, headers });
}
