/** Finds what a provider said about a failure, for deciding what it means. It is never shown to clients. */

const MAX_CHARS = 8_192;
const MAX_CAUSES = 6;

/** Everything a provider said in an error and its causes: messages, codes, the body. */
export function providerText(error: unknown): string {
  const said: string[] = [];
  let chars = 0;
  const add = (item: unknown) => {
    if (typeof item !== 'string' || chars >= MAX_CHARS || item === '') return;
    said.push(item.slice(0, MAX_CHARS - chars));
    chars += item.length;
  };
  let current = error;
  for (let depth = 0; typeof current === 'object' && current !== null && depth < MAX_CAUSES; depth += 1) {
    const { message, responseBody, data, cause, lastError } = current as Readonly<Record<string, unknown>>;
    add(message);
    add(responseBody);
    if (data !== undefined && chars < MAX_CHARS) add(jsonOf(data));
    current = cause ?? lastError;
  }
  if (typeof error === 'string') add(error);
  return said.join('\n');
}

/** The text that a model wrote when its server took it for a broken call (Groq's `failed_generation`). */
export function failedGeneration(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; typeof current === 'object' && current !== null && depth < MAX_CAUSES; depth += 1) {
    const { data, responseBody, cause, failed_generation: own } = current as Readonly<Record<string, unknown>>;
    const found = own ?? generationIn(data) ?? generationIn(objectOf(responseBody));
    if (typeof found === 'string' && found.trim() !== '') return found;
    current = cause;
  }
  return undefined;
}

function generationIn(data: unknown): unknown {
  const { error, failed_generation: own } = (data ?? {}) as Readonly<Record<string, unknown>>;
  return own ?? (error as Readonly<Record<string, unknown>> | null | undefined)?.failed_generation;
}

function objectOf(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  // A stream that reports the failure has it in one of its events.
  const json = /^\s*[{[]/.test(text) ? text : /^data:\s*(\{.*)$/m.exec(text)?.[1];
  try {
    return JSON.parse(json ?? '');
  } catch {
    return undefined;
  }
}

function jsonOf(data: unknown): string {
  try {
    return typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  } catch {
    return '';
  }
}
