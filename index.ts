/** Composing and running Atlas: `import { defineConfig, createApp } from 'atlas-query'`. */
export * from './kernel/index.ts';
