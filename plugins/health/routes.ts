/** The routes of the health report, and those that orchestrators ask. */
import type { Route, RouteReply } from '../../kernel/index.ts';
import { HealthReport, Probe } from './schema.ts';

/**
 * Without these no question can be answered, and each of them is looked at by itself. A model is not: its failure is
 * known from the last question, so that a server taken out of service for it would never come back.
 */
const NEEDED = ['datasource', 'semanticLayer', 'internalDb', 'auth'];

const common = {
  method: 'GET',
  tag: 'Health',
  right: 'public',
  essential: true,
} as const;

const reply = (status: number, body: unknown): RouteReply => ({
  status,
  headers: { 'cache-control': 'no-store' },
  body,
});

export function healthRoutes(report: () => Promise<HealthReport>): Route[] {
  return [
    {
      ...common,
      path: '/api/health',
      operationId: 'getHealth',
      summary: 'Health of the service and of everything it needs; 200 whenever the process serves.',
      responses: { 200: HealthReport },
      handle: async () => reply(200, await report()),
    },
    {
      ...common,
      path: '/api/health/live',
      operationId: 'getLiveness',
      summary: 'Whether the process serves: 200, or 503 while it stops.',
      responses: { 200: Probe, 503: Probe },
      handle: () => reply(200, { status: 'ok', failing: {} }),
    },
    {
      ...common,
      path: '/api/health/ready',
      operationId: 'getReadiness',
      summary: 'Whether questions can be answered: 200, or 503 with what keeps them from it.',
      responses: { 200: Probe, 503: Probe },
      async handle() {
        const { checks } = await report();
        const faults = Object.entries(checks).filter(
          ([name, { status }]) => NEEDED.includes(name) && status === 'error',
        );
        const failing = Object.fromEntries(faults.map(([name, { message }]) => [name, message ?? 'It does not work.']));
        return faults.length === 0 ? reply(200, { status: 'ok', failing }) : reply(503, { status: 'error', failing });
      },
    },
  ];
}
