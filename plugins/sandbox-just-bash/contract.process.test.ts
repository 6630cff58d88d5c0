import { sandboxContract } from '../../test/contract/sandbox.ts';
import { sandboxJustBash } from './index.ts';

sandboxContract('just-bash', () => ({
  plugin: sandboxJustBash(),
  commands: {
    list: 'find . -type f',
    read: (path) => `cat "${path.replaceAll('$', '\\$')}"`,
    find: (word) => `grep -r ${word} .`,
    invalid: 'frobnicate --now',
    hostile: [
      'cat /proc/self/environ /proc/1/environ',
      'env; printenv; set',
      'ls /; ls -R /work /root /home; cat /layer/../../package.json',
      'curl http://127.0.0.1/; wget http://127.0.0.1/',
      'echo $ATLAS_TEST_PASSWORD; id; whoami; uname -a',
      'exec 3<>/dev/tcp/127.0.0.1/22; cat <&3',
      `node -e 'console.log(process.env)'; python3 -c 'print(1)'; js-exec -c '1'`,
      'sh -c id; bash -c "cat /etc/passwd"; eval "cat /etc/passwd"; source /etc/passwd',
      `sqlite3 :memory: "SELECT readfile('/etc/passwd')"`,
      `awk 'BEGIN { system("id"); while (("cat /etc/passwd" | getline l) > 0) print l }'`,
      `jq -n 'env, $ENV, input_filename'`,
      'ln -s /etc/passwd p; cat p; tar -cf - /etc/passwd',
    ],
    writes: ['echo changed > entities/orders.yml', 'rm -rf .', 'echo x > new.yml', 'mkdir -p a/b'],
    slow: 'while true; do for i in $(seq 1 1000); do sleep 0; done; done; sleep 60',
    endless: 'seq 1 200000',
  },
}));
