/** Declares `atlas eval`. What it does is loaded when it runs. */
import { type CliCommand, Type } from '../../kernel/index.ts';
import type { Cli } from '../cli/index.ts';

export const evalCommand = (cli: Cli): CliCommand => ({
  name: 'eval',
  summary: 'ask the questions of eval/cases/*.yml and compare the results with those of their SQL',
  options: [
    { flags: '--schema <name>', description: 'only the cases of this schema, such as a demo: simple' },
    { flags: '--category <name>', description: 'only the cases of this category' },
    { flags: '--difficulty <simple|medium|complex>', description: 'only the cases of this difficulty' },
    { flags: '--id <id>', description: 'only this case' },
    {
      flags: '--limit <n>',
      description: 'at most so many cases, the first ones',
      schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    },
    { flags: '--resume <file>', description: 'add each result to this file, and skip the cases that it has' },
    { flags: '--baseline', description: 'write the results to eval/baseline.jsonl' },
    { flags: '--compare <file>', description: 'exit with 1 when a case that passed in this file does not pass now' },
    { flags: '--record <folder>', description: "keep the model's replies in this folder" },
    { flags: '--replay <folder>', description: 'answer from kept replies, without any model', conflicts: ['--record'] },
    {
      flags: '--repeat <n>',
      description: 'ask each case so many times, at so many times the cost, and tell how far the results agree',
      schema: Type.Integer({ minimum: 2, maximum: 100 }),
      conflicts: ['--record', '--replay'],
    },
    { flags: '--json', description: 'print JSON' },
    { flags: '--csv', description: 'print one line for each case as CSV', conflicts: ['--json'] },
  ],
  examples: [
    'atlas eval --schema simple',
    'atlas eval --resume eval/run.jsonl --baseline',
    'atlas eval --compare eval/baseline.jsonl --json',
    'atlas eval --replay eval/recordings',
    'atlas eval --limit 20 --repeat 5',
  ],
  exitCodes: { 0: 'all cases were asked, whatever came', 1: 'an error, or a regression against --compare' },
  run: async (run) => (await import('./run-eval.ts')).runEval(run, cli),
});
