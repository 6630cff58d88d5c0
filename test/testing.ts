/** `atlas-query/testing`: an app for tests and the contract kits. Needs vitest. */
export * from './contract/action.ts';
export * from './contract/auth.ts';
export * from './contract/context.ts';
export * from './contract/datasource.ts';
export * from './contract/deliver.ts';
export * from './contract/interaction.ts';
export * from './contract/plugin.ts';
export * from './contract/sandbox.ts';
export * from './contract/taps.ts';
export { actionNeeds } from './harness/action-app.ts';
export * from './harness/create-test-app.ts';
export { processIsWorking } from './harness/database-processes.ts';
export { demoPlugins } from './harness/demo-plugins.ts';
export { startTestReceiver } from './harness/test-receiver.ts';
