/** The least that answers a question: one SQLite file, its semantic layer, and the model that needs no key. */
import { defineConfig } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { authNone } from 'atlas-query/plugins/auth-none';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { http } from 'atlas-query/plugins/http';
import { modelOffline } from 'atlas-query/plugins/model-offline';
import { queryApi } from 'atlas-query/plugins/query-api';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';

export default defineConfig({
  plugins: [
    http({ port: Number(process.env.PORT ?? 3001) }),
    authNone(),
    semanticLayer({ dir: './semantic' }),
    semanticQuery(),
    sqlLimits(),
    sqlGuard(),
    datasourceSqlite({ connections: [{ id: 'default', url: 'sqlite:shop.db' }] }),
    modelOffline(),
    agent(),
    queryApi(),
  ],
});
