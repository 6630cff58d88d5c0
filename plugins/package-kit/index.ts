/** The part that plugins with optional packages share: large drivers and libraries are installed by those who use them. */
export { requirePackages } from './required-packages.ts';
