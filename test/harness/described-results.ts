/** Describes results as those of questions, without a reader that asks for them. */
import { definePlugin, type Scope, sqlSettled } from '../../kernel/index.ts';
import { tableDescribe, tableOf } from '../../plugins/agent/index.ts';
import type { Readings } from '../../plugins/alternative-readings/index.ts';

export type Turn = readonly ['user' | 'assistant', string];

/** Describes the result of a statement as that of a question. */
export const asking = definePlugin({
  name: 'asking',
  version: '1.0.0',
  type: 'context',
  description: 'Describes results, and records the statements that try other readings.',
  setup(ctx) {
    const tried: string[] = [];
    ctx.tap(sqlSettled, ({ request }) => void (request.surface === 'reading' && tried.push(request.sql)));
    return {
      tried,
      async readings(sql: string, said: string | readonly Turn[], scope: Scope, isVerified = false) {
        tried.length = 0;
        const all: readonly Turn[] = typeof said === 'string' ? [['user', said]] : said;
        const turns = all.map(([role, text]) => ({ role, text }));
        const table = tableOf(await ctx.runSql({ sql, surface: 'api' }, scope), sql);
        const found = await ctx.call(tableDescribe, { table, question: { turns, surface: 'api' }, isVerified }, scope);
        return found.map(({ value }) => value.facts?.readings as Readings | undefined).find(Boolean);
      },
    };
  },
});
