/** Finds the backend of the explore tool, runs commands in it within bounds, and reports its health. */
import {
  AtlasError,
  type HealthItem,
  messageOf,
  type PluginContext,
  type Scope,
  Type,
  withTimeout,
} from '../../kernel/index.ts';
import { byteLength } from './context/bounded-text.ts';
import { type ExploreRequest, exploreSandbox, type Sandbox } from './hooks.ts';

export const SandboxInput = Type.Object(
  { command: Type.String({ minLength: 1, maxLength: 2_000, description: 'The command.' }) },
  { additionalProperties: false },
);

const DEFAULT_TIMEOUT_MS = 5_000;
/** A backend that does not act on its signal is no longer waited for. */
const GRACE_MS = 500;
const CUT = '\n… cut here; ask for less.';

/** `undefined`: the tool reads the layer in this process. Throws `configuration_error` when two plugins bring one. */
export async function findSandbox(ctx: PluginContext): Promise<Sandbox | undefined> {
  const [found, other] = await ctx.call(exploreSandbox, undefined, ctx.scope());
  if (found !== undefined && other !== undefined) {
    throw new AtlasError(`"${found.plugin}" and "${other.plugin}" both bring a backend of the explore tool.`, {
      code: 'configuration_error',
      reason: 'E_SANDBOX_DUPLICATE',
      hint: 'Keep one of them in atlas.config.ts.',
    });
  }
  return found?.value;
}

/** The answer of a command, at most `maxBytes`. One that takes too long is told to the model, which may try another. */
export async function runInSandbox(sandbox: Sandbox, request: ExploreRequest, scope: Scope): Promise<string> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = sandbox;
  const late = AbortSignal.timeout(timeoutMs);
  const part = scope.part(AbortSignal.any([scope.signal, late]));
  const tooLong = `The command was stopped: it took longer than ${timeoutMs} ms. Ask for less.`;
  try {
    const work = Promise.resolve(sandbox.run(request, part));
    return bounded(await withTimeout(work, timeoutMs + GRACE_MS, () => tooLong), request.maxBytes);
  } catch (error) {
    scope.signal.throwIfAborted();
    if (late.aborted) return tooLong;
    throw error;
  }
}

function bounded(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  const kept = Buffer.from(text).subarray(0, Math.max(0, maxBytes - byteLength(CUT)));
  // A letter that was cut in two is left out.
  return new TextDecoder().decode(kept, { stream: true }) + CUT;
}

export async function sandboxHealth({ backend, isolated, health }: Sandbox): Promise<HealthItem> {
  const details = { backend, isolated };
  try {
    return { component: 'explore', ...((await health?.()) ?? { status: 'ok' }), details };
  } catch (error) {
    return { component: 'explore', status: 'error', message: messageOf(error), details };
  }
}
