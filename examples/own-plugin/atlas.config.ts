/** The built-in parts, the offline model, and a policy of one's own. */
import { defineConfig } from 'atlas';
import { agent } from 'atlas/plugins/agent';
import { authNone } from 'atlas/plugins/auth-none';
import { datasourceSqlite } from 'atlas/plugins/datasource-sqlite';
import { health } from 'atlas/plugins/health';
import { http } from 'atlas/plugins/http';
import { modelOffline } from 'atlas/plugins/model-offline';
import { queryApi } from 'atlas/plugins/query-api';
import { semanticLayer } from 'atlas/plugins/semantic-layer';
import { semanticQuery } from 'atlas/plugins/semantic-query';
import { sqlGuard } from 'atlas/plugins/sql-guard';
import { sqlLimits } from 'atlas/plugins/sql-limits';
import { businessHours } from './business-hours.ts';

export default defineConfig({
  plugins: [
    http({ port: Number(process.env.PORT ?? 3001) }),
    health(),
    authNone(),
    businessHours({ from: 0, to: 24 }),
    semanticLayer({ dir: process.env.SVC_SEMANTIC_DIR ?? './semantic' }),
    semanticQuery(),
    sqlLimits(),
    sqlGuard(),
    datasourceSqlite({ connections: [{ id: 'default', url: process.env.SVC_DATASOURCE_URL ?? 'sqlite:shop.db' }] }),
    modelOffline(),
    agent(),
    queryApi(),
  ],
});
