/** Says that something is on its way. */
import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';

export const Loading = (): ReactNode => <p aria-live="polite">{TEXTS.loading}…</p>;
