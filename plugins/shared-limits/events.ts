/** Defines the bus events of shared limits, for observers such as telemetry. */
import { defineEvent } from '../../kernel/index.ts';

/** PostgreSQL or Redis did not take counts, so that this server counts by itself. */
export const limitsNotShared = defineEvent<{ readonly store: 'postgres' | 'redis' }>('limits:not-shared');
