/** The built-in parts, the offline model, and archives as datasource. */
import { defineConfig } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { authNone } from 'atlas-query/plugins/auth-none';
import { health } from 'atlas-query/plugins/health';
import { http } from 'atlas-query/plugins/http';
import { modelOffline } from 'atlas-query/plugins/model-offline';
import { queryApi } from 'atlas-query/plugins/query-api';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';
import { datasourceArchive } from './datasource-archive.ts';

export default defineConfig({
  plugins: [
    http({ port: Number(process.env.PORT ?? 3001) }),
    health(),
    authNone(),
    semanticLayer({ dir: './semantic' }),
    semanticQuery(),
    sqlLimits(),
    sqlGuard(),
    datasourceArchive({ connections: [{ id: 'default', url: 'archive:shop.db' }] }),
    modelOffline(),
    agent(),
    queryApi(),
  ],
});
