/** A labelled text field of a form. */
import type { ReactNode } from 'react';
import styles from './field.module.css';

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password';
  readonly autoComplete: string;
  readonly hint?: string;
  readonly minLength?: number;
}

export function Field({ label, value, onChange, type = 'text', hint, ...input }: FieldProps): ReactNode {
  return (
    <label className={styles.field}>
      {label}
      <input
        {...input}
        type={type}
        value={value}
        required
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}
