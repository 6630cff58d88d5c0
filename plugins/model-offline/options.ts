import { Type } from '../../kernel/index.ts';
import { IS_DEFAULT } from '../model-kit/index.ts';

export const ModelOfflineOptions = Type.Object({ isDefault: IS_DEFAULT }, { additionalProperties: false });
