/** Makes the errors of organizations whose layer cannot be found. */
import { AtlasError } from '../../kernel/index.ts';

/** The default layer may show what the organization's own layer masked, so it is no replacement. */
export function layerRemoved(orgId: string): AtlasError {
  return new AtlasError(`The semantic layer of the organization "${orgId}" is gone: its folder was removed.`, {
    code: 'not_available',
    reason: 'E_SEMANTIC_LAYER_GONE',
    hint: 'Put the folder back; docs/semantic-layer.md says how to use the shared layer instead.',
  });
}

/** The id cannot be a folder name, so the organization's layer cannot be determined. */
export function invalidOrganization(orgId: string): AtlasError {
  return new AtlasError(`The organization ${JSON.stringify(orgId.slice(0, 130))} cannot have a semantic layer.`, {
    code: 'not_available',
    reason: 'E_ORGANIZATION_UNMAPPED',
    hint: 'When organizations have their own layers, the id of an organization must be a folder name: 1 to 128 letters, digits, `.`, `_` and `-`, beginning with a letter or digit.',
  });
}
