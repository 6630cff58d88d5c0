/** Defines the limits of the agent. */
import { type Static, Type } from '../../kernel/index.ts';

/** Upper limit of `maxSteps`. */
const MAX_STEPS = 25;

export const AgentOptions = Type.Object(
  {
    maxSteps: Type.Integer({
      default: MAX_STEPS,
      minimum: 1,
      maximum: MAX_STEPS,
      description: 'most model calls for one question',
    }),
    stepTimeoutMs: Type.Integer({
      default: 60_000,
      minimum: 1,
      maximum: 3_600_000,
      description: 'time limit of one model call, in milliseconds',
    }),
    requestTimeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'time limit of one question; default: 180000, or three times that of one model call if longer',
      }),
    ),
    resultBudgetBytes: Type.Integer({
      default: 4_096,
      minimum: 512,
      description: 'how much of one SQL result the model sees',
    }),
    historyBytes: Type.Integer({
      default: 16_384,
      minimum: 0,
      description: 'how much of the earlier conversation the model sees, newest first',
    }),
    candidates: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 7,
      description:
        'statements that are tried in all for a question whose first one fails or finds nothing; the result that most have is taken',
    }),
    questionBytes: Type.Integer({ default: 65_536, minimum: 1, description: 'longest question' }),
    answerBytes: Type.Integer({
      default: 65_536,
      minimum: 1,
      description: 'longest text and tool arguments of one step; more is cut off',
    }),
    questionBudgetBytes: Type.Integer({
      default: 32 * 1024 * 1024,
      minimum: 1024 ** 2,
      maximum: 1024 ** 3,
      description: 'memory limit of one question: rows of its answer, messages to the model, arguments',
    }),
    processBudgetBytes: Type.Optional(
      Type.Integer({
        minimum: 1024 ** 2,
        maximum: 64 * 1024 ** 3,
        description:
          'memory limit of all running questions; near it new ones are refused with `overloaded`; default: one and a quarter of that of one question',
      }),
    ),
    markSecret: Type.Optional(
      Type.String({
        minLength: 32,
        description:
          'secret text that makes the marks around untrusted text the same on every server and after a restart; without it each process has its own',
      }),
    ),
  },
  { additionalProperties: false },
);
export type AgentOptions = Static<typeof AgentOptions>;

const MIN_REQUEST_TIMEOUT_MS = 180_000;

/** Time limit of one question. */
export function requestTimeoutOf({ requestTimeoutMs, stepTimeoutMs }: AgentOptions): number {
  return requestTimeoutMs ?? Math.max(MIN_REQUEST_TIMEOUT_MS, 3 * stepTimeoutMs);
}
