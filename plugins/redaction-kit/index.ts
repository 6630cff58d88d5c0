/** Hides credentials in texts and values; shared by the log, the audit, telemetry and the command line. */
export { withoutCredentials } from './credentials.ts';
export { masked, maskedKey } from './masking.ts';
