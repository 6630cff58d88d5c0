/** The built-in parts, the offline model, and a policy of one's own. */
import { defineConfig } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { authNone } from 'atlas-query/plugins/auth-none';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { health } from 'atlas-query/plugins/health';
import { http } from 'atlas-query/plugins/http';
import { modelOffline } from 'atlas-query/plugins/model-offline';
import { queryApi } from 'atlas-query/plugins/query-api';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';
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
