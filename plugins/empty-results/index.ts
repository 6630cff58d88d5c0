/** Defines the plugin that explains empty results. */
import { definePlugin, type Scope, type ToolTable } from '../../kernel/index.ts';
import { isEmpty, type TableRemark, tableDescribe } from '../agent/index.ts';
import { conditionReading } from '../provenance/index.ts';
import { readQuery, semanticLayer } from '../semantic-layer/index.ts';
import { EmptyResultsOptions } from './options.ts';

export type { Explanation } from './explanation.ts';
export type { FilteredQuery } from './filters.ts';
/** Loaded when it is first used. */
export const filterReading = () => import('./filters.ts');

export const emptyResults = definePlugin({
  name: 'empty-results',
  version: '1.0.0',
  type: 'context',
  description: 'Explains empty results: the filters that leave nothing, near values, and the period that has rows.',
  needs: { semanticLayer },
  options: EmptyResultsOptions,
  setup(ctx, options, needs) {
    async function explained(table: ToolTable, scope: Scope): Promise<TableRemark[]> {
      const { sql, connectionId, ran } = table;
      const reading = await readQuery(ctx, needs.semanticLayer, { sql, connectionId }, scope);
      const select = reading?.select();
      if (reading === undefined || select === undefined || reading.dialect.isBilled) return [];
      const [{ filteredQuery }, { Tries }, { explanationOf }, reader] = await Promise.all([
        import('./filters.ts'),
        import('./tries.ts'),
        import('./explanation.ts'),
        conditionReading(),
      ]);
      const query = filteredQuery(select, reading.tables, reader);
      if (query === undefined) return [];
      const tries = new Tries({ ctx, query, dialect: reading.dialect, connectionId, scope, options });
      const isPart = ran?.statement.shown?.policies.includes('rows') === true;
      const explanation = await explanationOf({ query, tries, hasRow: table.rows.length > 0, isPart });
      return explanation === undefined ? [] : [{ facts: { explanation }, forModel: explanation.text }];
    }
    ctx.tap(tableDescribe, ({ table }, scope) => (isEmpty(table) ? explained(table, scope) : []));
  },
});
