/** Composing and running Atlas: `import { defineConfig, createApp } from 'atlas'`. */
export * from './kernel/index.ts';
