/** Downloads a file with the credentials of this tab, which a link would not send. */
import { type ReactNode, useState } from 'react';
import { send } from '../api/client.ts';
import { failureOf } from '../api/failure.ts';
import { Alert } from '../ui/alert.tsx';
import { download } from '../ui/download.ts';

export interface DownloadButtonProps {
  readonly path: string;
  readonly name: string;
  readonly children: string;
}

async function fetchFile(path: string, name: string): Promise<void> {
  const response = await send(path);
  if (!response.ok) throw await failureOf(response);
  download(await response.blob(), name);
}

export function DownloadButton({ path, name, children }: DownloadButtonProps): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  const onClick = () => {
    setFailure(undefined);
    fetchFile(path, name).catch(setFailure);
  };
  return (
    <>
      <button type="button" onClick={onClick}>
        {children}
      </button>
      {failure !== undefined && <Alert error={failure} />}
    </>
  );
}
