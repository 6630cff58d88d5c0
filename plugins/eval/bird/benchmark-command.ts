/** Declares `atlas benchmark`. What it does is loaded when it runs. */
import { type CliCommand, Type } from '../../../kernel/index.ts';
import type { Cli } from '../../cli/index.ts';

export const benchmarkCommand = (cli: Cli): CliCommand => ({
  name: 'benchmark',
  summary: 'ask the questions of the BIRD benchmark and score the answers as BIRD does',
  options: [
    {
      flags: '--bird-path <folder>',
      description: 'folder that holds dev.json and dev_databases; nothing is written there',
      required: true,
    },
    { flags: '--db <name>', description: 'only the questions of this database' },
    {
      flags: '--limit <n>',
      description: 'at most so many questions, the first ones',
      schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    },
    { flags: '--resume <file>', description: 'add each result to this file, and skip the questions that it has' },
    { flags: '--json', description: 'print JSON' },
    { flags: '--csv', description: 'print one line for each question as CSV', conflicts: ['--json'] },
  ],
  examples: [
    'atlas benchmark --bird-path dev_20240627 --limit 50',
    'atlas benchmark --bird-path minidev --resume bird.jsonl',
  ],
  run: async (run) => (await import('./run-benchmark.ts')).runBenchmark(run, cli),
});
