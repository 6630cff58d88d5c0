/** Hides credentials in texts; shared by the log, the audit, telemetry and the command line. */
export { withoutCredentials } from './credentials.ts';
