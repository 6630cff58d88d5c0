import { expect, test } from 'vitest';
import { contextCollect, definePlugin } from '../../../kernel/index.ts';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import { layerFolder } from '../../../test/harness/layer-folder.ts';
import { Random } from '../../../test/harness/random.ts';
import { protectedTables, semanticLayer } from '../index.ts';

const QUESTIONS = 1_500;
const ENTITIES = 40;

/** What no model may be given has the word for it in it: `acmesecret7`. */
function layerOf(tenant: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (let n = 0; n < ENTITIES; n += 1) {
    files[`.orgs/${tenant}/entities/t${n}.yml`] = `
table: t${n}
description: Rows of ${tenant}, number ${n}.
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status, sample_values: [open, ${tenant}value${n}] }
  - { name: ${tenant}secret${n}, hidden: true, synonyms: [${tenant}secretname], description: ${tenant}secrettext, sample_values: [${tenant}secretvalue] }
  - { name: email, mask: "'x'", sample_values: [${tenant}secretmail${n}] }
  - { name: mail_again, sql: "lower(email)", sample_values: [${tenant}secretmail${n}] }
  - { name: twice_derived, sql: "{derived} || 'x'" }
  - { name: derived, sql: "lower(${tenant}secret${n})", description: ${tenant}secretderived }
measures:
  - { name: m${n}, type: count_distinct, sql: ${tenant}secret${n} }
  - { name: d${n}, type: count_distinct, sql: "{twice_derived}" }
segments:
  - { name: s${n}, sql: "${tenant}secret${n} IS NOT NULL" }
query_patterns:
  - { description: Rows of ${tenant} by status, sql: SELECT ${tenant}secret${n} FROM t${n} }
  - { description: Rows of ${tenant} by kind, sql: SELECT x.${tenant}secret${(n + 1) % ENTITIES} FROM t${n} JOIN t${(n + 1) % ENTITIES} x ON true }
joins:
  - { target: t${(n + 1) % ENTITIES}, relationship: many_to_one, on: { from: id, to: id } }
`;
  }
  files[`.orgs/${tenant}/entities/guarded.yml`] =
    `table: guarded\ndescription: Guarded rows.\ndimensions:\n  - { name: kind, sample_values: [${tenant}secretrow] }\n`;
  files[`.orgs/${tenant}/metrics/m.yml`] = `metrics:
  - { id: rows_a, entity: t1, sql: "count({derived})" }
  - { id: rows_b, entity: t1, measure: d1 }
  - { id: rows_c, sql: "max(${tenant}secret2)" }
  - { id: rows_d, entity: t1, sql: "count(id)", dimensions: [${tenant}secret1, t2.${tenant}secret2, status] }
`;
  files[`.orgs/${tenant}/glossary.yml`] = `terms:
  - { term: rows, status: ambiguous, meanings: [{ name: one, entity: t1, dimension: ${tenant}secret1 }, { name: two, entity: t1, measure: m1 }, { name: three, entity: t1, sql: "${tenant}secret1 > 5" }, { name: four, entity: t1, dimension: status }, plain] }
  - { term: status, entity: t1, sql: "{derived} > 3" }
`;
  return files;
}

const tenants = ['acme', 'globex'];
const words = [
  ...['how', 'many', 'rows', 'by', 'status', 'guarded', 'kind', 'email', 'derived', 'open', 'in', '2025', 'list'],
  ...tenants.flatMap((tenant) => [
    ...['value7', 'secret7', 'secretname', 'secretvalue', 'secretmail3', 'secretrow', 'secretderived', ''].map(
      (end) => tenant + end,
    ),
  ]),
  ...Array.from({ length: ENTITIES }, (_, n) => `t${n}`),
];

test(`no question of ${QUESTIONS} brings what is hidden, masked or protected, nor anything of another organization`, async () => {
  using folder = layerFolder({ ...layerOf('acme'), ...layerOf('globex') });
  const caller = definePlugin({
    name: 'test-caller',
    version: '1.0.0',
    type: 'policy',
    description: 'Protects a table and calls hooks.',
    needs: { semanticLayer },
    setup(ctx, _options, { semanticLayer: layer }) {
      ctx.tap(protectedTables, () => [({ table }) => table === 'guarded']);
      return { ctx, layer };
    },
  });
  await using app = await createTestApp({ plugins: [semanticLayer({ dir: folder.dir }), caller()] });
  const { ctx, layer } = app.get(caller);
  const random = new Random(28);
  let detailed = 0;
  for (let n = 0; n < QUESTIONS; n += 1) {
    const [own, other] = random.chance(0.5) ? tenants : tenants.toReversed();
    const text = Array.from({ length: random.integer(1, 9) }, () => random.pick(words)).join(' ');
    const question = { turns: [{ role: 'user' as const, text }], surface: 'api' };
    const scope = app.scope({ orgId: own! });
    const parts = await ctx.call(contextCollect, question, scope);
    const { entities } = await layer.explain(question, scope);
    const explored = n % 25 === 0 ? await layer.explore(scope, `?${text}`) : '';
    const found = explored.replace(/^Found for .*|^Nothing in .*/, '');
    const shown = [...parts.map(({ value }) => value.text), JSON.stringify(entities), found].join('\n');
    expect(/.*secret.*/.exec(shown)?.[0], text).toBeUndefined();
    expect(shown, text).not.toContain(other);
    if (shown.includes(`${own}value`)) detailed += 1;
  }
  expect(detailed).toBeGreaterThan(QUESTIONS / 4);
});
