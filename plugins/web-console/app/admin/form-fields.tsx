/** Shows the fields of a form or of filters, each with its label, hint and what the server objects to. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { visibleText } from '../../../text-kit/index.ts';
import { call } from '../api/client.ts';
import { ApiError } from '../api/failure.ts';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './admin.module.css';
import type { FormField, Option, OptionSource, Values } from './resource.ts';

export interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly values: Values;
  readonly onChange: (name: string, value: string) => void;
  readonly error?: unknown;
}

/** Objections to the field `name`, or to a part of it. */
export function objectionsTo(error: unknown, name: string): readonly string[] {
  if (!(error instanceof ApiError)) return [];
  return (error.details ?? [])
    .filter(({ path }) => path === name || path.startsWith(`${name}.`))
    .map(({ path, message }) => (path === name ? message : `${path.slice(name.length + 1)} ${message}`));
}

export const firstValues = (fields: readonly FormField[]): Values =>
  Object.fromEntries(fields.map(({ name, value = '' }) => [name, value]));

function useOptions(options: FormField['options']): readonly Option[] {
  const source = options !== undefined && 'path' in options ? (options as OptionSource) : undefined;
  const { data } = useQuery({
    queryKey: ['options', source?.path],
    queryFn: ({ signal }) => call<unknown>(source?.path ?? '', { signal }),
    enabled: source !== undefined,
  });
  if (source === undefined) return (options as readonly Option[] | undefined) ?? [];
  return data === undefined ? [] : source.options(data);
}

interface OneProps {
  readonly field: FormField;
  readonly values: Values;
  readonly objections: readonly string[];
  readonly onChange: (value: string) => void;
}

function Several({ field, values, onChange, options }: OneProps & { readonly options: readonly Option[] }): ReactNode {
  const chosen = (values[field.name] ?? '').split(',').filter((value) => value !== '');
  return (
    <fieldset className={styles.choices}>
      <legend>{field.label}</legend>
      {options.map(({ value, label }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange([...chosen.filter((one) => one !== value), ...(target.checked ? [value] : [])].join(','))
            }
          />
          <ShownText text={label} />
        </label>
      ))}
    </fieldset>
  );
}

function Control({ field, values, onChange, objections, options, id }: OneProps & ControlProps): ReactNode {
  const { name, label, kind = 'text', isRequired = false, maxLength } = field;
  const common = {
    name,
    value: values[name] ?? '',
    required: isRequired,
    'aria-label': label,
    'aria-describedby': id,
    'aria-invalid': objections.length > 0 || undefined,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  } as const;
  if (field.options !== undefined) {
    return (
      <select {...common}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {visibleText(option.label)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'multiline') return <textarea {...common} maxLength={maxLength} rows={3} />;
  return (
    <input
      {...common}
      type={kind}
      maxLength={maxLength}
      autoComplete={kind === 'password' ? 'new-password' : 'off'}
      spellCheck={false}
    />
  );
}

interface ControlProps {
  readonly options: readonly Option[];
  readonly id: string;
}

function One(props: OneProps): ReactNode {
  const { field, values, objections } = props;
  const id = useId();
  const options = useOptions(field.options);
  return (
    <div className={styles.field}>
      {field.isMultiple === true ? (
        <Several {...props} options={options} />
      ) : (
        // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside
        <label>
          <span>{field.label}</span>
          <Control {...props} options={options} id={id} />
        </label>
      )}
      <div id={id}>
        {field.hint !== undefined && <small>{field.hint}</small>}
        {objections.map((objection) => (
          <p key={objection} className={styles.objection}>
            <ShownText text={objection} />
          </p>
        ))}
        {field.explain?.(values)}
      </div>
    </div>
  );
}

export function FormFields({ fields, values, onChange, error }: FormFieldsProps): ReactNode {
  const shown = fields.filter((field) => field.isShown?.(values) !== false);
  return shown.map((field) => (
    <One
      key={field.name}
      field={field}
      values={values}
      objections={objectionsTo(error, field.name)}
      onChange={(value) => onChange(field.name, value)}
    />
  ));
}
