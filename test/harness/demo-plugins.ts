/** A whole composition that answers questions about the demo's data with the offline model, for tests of one more plugin. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, type PluginEntry } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { http } from '../../plugins/http/index.ts';
import { modelOffline } from '../../plugins/model-offline/index.ts';
import { openapi } from '../../plugins/openapi/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';

/** Creates the demo's data in a folder that goes away with the app. */
const testDemoData = (folder: string) =>
  definePlugin({
    name: 'test-demo-data',
    version: '1.0.0',
    type: 'storage',
    description: 'Creates the data of the demo.',
    setup(ctx) {
      createSimpleDemo(join(folder, 'shop.db'));
      ctx.onClose(() => rmSync(folder, { recursive: true, force: true }));
    },
  })();

/** Plugins for `createTestApp`, which lets everybody in. */
export function demoPlugins(): PluginEntry[] {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-demo-'));
  return [
    testDemoData(folder),
    http({ listen: false }),
    openapi(),
    semanticLayer({ dir: DEMOS.simple.layer }),
    semanticQuery(),
    sqlLimits(),
    sqlGuard(),
    datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${join(folder, 'shop.db')}` }] }),
    modelOffline(),
    agent(),
  ];
}
