/** Suggests what could be written in a file, by what the layer knows. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { keysOf } from './editor/layer-keys.ts';
import { type KnownNames, type Suggested, suggestionsAt, type WritingPlace } from './editor/suggestions.ts';
import { columnsOf, useEntities } from './layer-queries.ts';

export function useSuggest(file: string): (where: WritingPlace, isAsked: boolean) => Promise<Suggested | undefined> {
  const client = useQueryClient();
  const { data } = useEntities();
  return useMemo(() => {
    const entities = data?.entities ?? [];
    const columns = async (entity: (typeof entities)[number] | undefined) =>
      // What cannot be looked up is not suggested.
      entity === undefined ? [] : columnsOf(client, entity).catch(() => []);
    const names: KnownNames = {
      tables: entities.flatMap(({ table }) => table ?? []),
      entities: entities.map(({ name }) => name),
      columns: () => columns(entities.find((entity) => entity.file === file)),
      columnsOf: (name) => columns(entities.find((entity) => entity.name === name)),
    };
    return (where, isAsked) => suggestionsAt(keysOf(file), where, names, isAsked);
  }, [client, data, file]);
}
