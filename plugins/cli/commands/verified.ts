/** `atlas verified`: lists, adds, checks, vouches for and removes the verified queries of a server, or of this folder. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { AtlasError, type CliCommand, type CliRun, messageOf, type Static, Type } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { openServer } from '../local-server.ts';
import { wrongUse } from '../option-checks.ts';
import { printableLine, renderTable, terminalStyle } from '../render.ts';
import { post, request, type Server } from '../server-client.ts';

const PATH = 'api/v1/admin/verified';
const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const QUERY = Type.Object({
  ...{ name: Type.String(), question: Type.String(), status: Type.String() },
  ...{ withheld: Text, verifiedBy: Text, verifiedAt: Text },
});
const LIST = Type.Object({ queries: Type.Array(QUERY) });
const CHECKS = Type.Object({
  checks: Type.Array(Type.Object({ name: Type.String(), status: Type.String(), message: Text })),
});

function table(run: CliRun, columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const style = { ...terminalStyle(run.stdout), maxRows: rows.length };
  return rows.length === 0 ? 'There are no verified queries.' : renderTable({ columns, rows }, style);
}

/** The file of one verified query, as a layer has it. */
function queryIn(run: CliRun, file: string): object {
  try {
    const { verifiedBy: _, verifiedAt: __, ...query } = parse(readFileSync(resolve(run.cwd, file), 'utf8')) ?? {};
    return query;
  } catch (error) {
    throw new AtlasError(`${file} cannot be read: ${messageOf(error)}`, { hint: 'Give a YAML file with one query.' });
  }
}

type Action = (run: CliRun, server: Server, name: string) => Promise<{ readonly text: string; readonly code?: number }>;

const one = (name: string) => `${PATH}/${encodeURIComponent(name)}`;
const vouched = ({ name, verifiedBy, verifiedAt }: Static<typeof QUERY>) =>
  `Verified by ${verifiedBy} on ${String(verifiedAt).slice(0, 10)}: ${name}`;

const ACTIONS: Readonly<Record<string, { readonly needs?: string; readonly act: Action }>> = {
  list: {
    async act(run, server) {
      const { queries } = await request(server, { method: 'GET', path: PATH }, LIST);
      const rows = queries.map(({ withheld, verifiedBy, ...query }) => ({
        ...query,
        by: verifiedBy,
        problem: withheld,
      }));
      return { text: table(run, ['name', 'question', 'by', 'status', 'problem'], rows) };
    },
  },
  check: {
    async act(run, server, name) {
      const { checks } = await post(server, `${PATH}/check`, name === '' ? {} : { name }, CHECKS);
      const isWrong = checks.some(({ status }) => status !== 'ok');
      return { text: table(run, ['name', 'status', 'message'], checks), code: isWrong ? 1 : 0 };
    },
  },
  add: {
    needs: 'the file of the query, such as verified/revenue.yml',
    act: async (run, server, file) => ({ text: vouched(await post(server, PATH, queryIn(run, file), QUERY)) }),
  },
  vouch: {
    needs: 'the name of the query',
    act: async (_, server, name) => ({ text: vouched(await post(server, `${one(name)}/vouch`, {}, QUERY)) }),
  },
  remove: {
    needs: 'the name of the query',
    async act(_, server, name) {
      await request(server, { method: 'DELETE', path: one(name) }, Type.Object({}));
      return { text: `Removed ${name}.` };
    },
  },
};

async function act(run: CliRun, cli: Cli): Promise<number> {
  const [action = '', name = ''] = run.args;
  const known = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (known === undefined)
    throw wrongUse(`There is no action "${action}".`, `There are: ${Object.keys(ACTIONS).join(', ')}.`);
  if (known.needs !== undefined && name === '') throw wrongUse(`"atlas verified ${action}" needs ${known.needs}.`);
  await using server = await openServer(run, cli);
  const { text, code = 0 } = await known.act(run, server, name);
  run.stdout.write(`${text.split('\n').map(printableLine).join('\n')}\n`);
  return code;
}

export const verified = (cli: Cli): CliCommand => ({
  name: 'verified <list|add|check|vouch|remove> [name]',
  summary: 'questions with statements that somebody vouches for: list, add from a file, check, vouch for again, remove',
  examples: [
    'atlas verified list',
    'atlas verified add revenue.yml',
    'atlas verified check',
    'atlas verified vouch revenue',
  ],
  exitCodes: { 0: 'done; with check, all are as they were', 1: 'an error; with check, something has changed' },
  run: (run) => act(run, cli),
});
