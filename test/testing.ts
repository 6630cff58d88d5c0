/** `atlas-query/testing`: an app for tests and the contract kits. Needs vitest. */
export * from './contract/action.ts';
export * from './contract/auth.ts';
export * from './contract/datasource.ts';
export * from './contract/deliver.ts';
export * from './contract/plugin.ts';
export * from './contract/taps.ts';
export * from './harness/create-test-app.ts';
export { processIsWorking } from './harness/database-processes.ts';
