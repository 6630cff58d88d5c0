/** Serves the health report, and the probes of orchestrators. */
import type { Route, RouteReply } from '../../kernel/index.ts';
import { whatFails } from './report.ts';
import { HealthReport, Probe } from './schemas.ts';

/** Phase of the process; before it serves, nothing is checked, as a database looks broken before its migrations. */
export type Phase = 'starting' | 'serving' | 'stopping';

const common = {
  method: 'GET',
  tag: 'Health',
  right: 'public',
  essential: true,
  origins: 'any',
} as const;

const reply = (status: number, body: unknown): RouteReply => ({
  status,
  headers: { 'cache-control': 'no-store' },
  body,
});

const ok = { status: 'ok', failing: {} };
const notReady = (failing: Readonly<Record<string, string>>) => reply(503, { status: 'error', failing });

export function healthRoutes(report: () => Promise<HealthReport>, phase: () => Phase): Route[] {
  return [
    {
      ...common,
      path: '/api/health',
      operationId: 'getHealth',
      summary: 'Health of the service and of everything it needs; 200 whenever the process serves.',
      responses: { 200: HealthReport, 503: HealthReport },
      handle: async () => reply(phase() === 'serving' ? 200 : 503, await report()),
    },
    {
      ...common,
      path: '/api/health/live',
      operationId: 'getLiveness',
      summary: 'Whether the process runs: 200 from the start on; one that has stopped takes no connections.',
      responses: { 200: Probe },
      handle: () => reply(200, ok),
    },
    {
      ...common,
      path: '/api/health/ready',
      operationId: 'getReadiness',
      summary: 'Whether questions can be answered: 200, or 503 with what keeps them from it.',
      responses: { 200: Probe, 503: Probe },
      async handle() {
        const now = phase();
        if (now !== 'serving') return notReady({ service: `Atlas is ${now}.` });
        const failing = whatFails((await report()).checks);
        return Object.keys(failing).length === 0 ? reply(200, ok) : notReady(failing);
      },
    },
  ];
}
