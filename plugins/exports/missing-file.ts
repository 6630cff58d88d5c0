/** Tells that a stored file is gone. */
import { AtlasError } from '../../kernel/index.ts';

export const notThere = () =>
  new AtlasError('The file of this export is not there.', {
    code: 'conflict',
    reason: 'E_EXPORT_FILE_MISSING',
    hint: 'Export again; where several servers run, all of them must see the place that SVC_EXPORT_URL names.',
  });
