import { Type } from '../../kernel/index.ts';

export const SandboxJustBashOptions = Type.Object(
  {
    timeoutMs: Type.Integer({
      minimum: 100,
      maximum: 60_000,
      default: 5_000,
      description: 'longest time of one command, in milliseconds',
    }),
    maxThreads: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 2,
      description: 'commands that run at once, each in its own thread; others wait',
    }),
    memoryMb: Type.Integer({ minimum: 32, maximum: 1_024, default: 128, description: 'memory of one thread, in MiB' }),
  },
  { additionalProperties: false },
);
