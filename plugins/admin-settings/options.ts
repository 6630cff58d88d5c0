/** Declares the settings that are shown, and what the route answers. */
import { type Static, Type } from '../../kernel/index.ts';

export const Setting = Type.Object(
  {
    name: Type.String({ description: 'The environment variable.' }),
    description: Type.String(),
    expected: Type.String({ description: 'What the variable may be set to.' }),
    value: Type.Union([Type.String(), Type.Null()], {
      description: 'What holds; `null` where nothing does, and where it may be a secret.',
    }),
    source: Type.Union(
      [Type.Literal('environment'), Type.Literal('configuration'), Type.Literal('default'), Type.Literal('unset')],
      { description: '`configuration`: an option of `atlas.config.ts`.' },
    ),
    isHidden: Type.Boolean({ description: 'Whether there is a value that is not shown.' }),
  },
  { title: 'Setting', additionalProperties: false },
);
export type Setting = Static<typeof Setting>;

export const SettingList = Type.Object({ settings: Type.Array(Setting) }, { title: 'SettingList' });
export type SettingList = Static<typeof SettingList>;

export const SettingsOptions = Type.Object(
  {
    settings: Type.Optional(
      Type.Unsafe<() => readonly Setting[]>(
        Type.Any({
          description:
            'a function that lists the settings to show; of `selfHosted()`, the environment variables that it reads',
        }),
      ),
    ),
    isHosted: Type.Boolean({
      default: false,
      description: 'whether administrators of an organization are refused, as on a platform of many organizations',
    }),
  },
  { additionalProperties: false },
);
export type SettingsOptions = Static<typeof SettingsOptions>;
