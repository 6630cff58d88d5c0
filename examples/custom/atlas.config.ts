/** A build with an authentication and an action of one's own, and everything that actions need. */
import { defineConfig } from 'atlas-query';
import { actions } from 'atlas-query/plugins/actions';
import { agent } from 'atlas-query/plugins/agent';
import { audit } from 'atlas-query/plugins/audit';
import { authRoles } from 'atlas-query/plugins/auth-roles';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { health } from 'atlas-query/plugins/health';
import { http } from 'atlas-query/plugins/http';
import { internalDb } from 'atlas-query/plugins/internal-db';
import { jobs } from 'atlas-query/plugins/jobs';
import { modelOpenai } from 'atlas-query/plugins/model-openai';
import { outbound } from 'atlas-query/plugins/outbound';
import { queryApi } from 'atlas-query/plugins/query-api';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';
import { actionTicket } from './action-ticket.ts';
import { authBadge } from './auth-badge.ts';

const {
  PORT = '3001',
  BADGE_OF_ANN = '',
  BADGE_OF_BOB = '',
  HELP_DESK = '127.0.0.1:9000',
  MODEL_URL = '',
} = process.env;

export default defineConfig({
  plugins: [
    http({ port: Number(PORT) }),
    health(),
    internalDb({ url: 'sqlite:atlas.db' }),
    jobs(),
    // Addresses inside the network are called only where they are named.
    outbound({ allowPrivate: [HELP_DESK] }),
    authBadge({
      badges: [
        { employee: 'ann', secret: BADGE_OF_ANN, role: 'analyst' },
        { employee: 'bob', secret: BADGE_OF_BOB, role: 'viewer' },
      ],
    }),
    authRoles(),
    semanticLayer({ dir: './semantic' }),
    semanticQuery(),
    sqlLimits(),
    sqlGuard(),
    datasourceSqlite({ connections: [{ id: 'default', url: 'sqlite:shop.db' }] }),
    modelOpenai({ provider: 'openai-compatible', baseUrl: MODEL_URL || 'http://127.0.0.1:11434/v1', model: 'qwen3' }),
    audit(),
    actions(),
    actionTicket({ url: `http://${HELP_DESK}/tickets` }),
    agent(),
    queryApi(),
  ],
});
